// Puts the theme of the address, else the one kept in this browser, on the document. It is no module, and
// stands before the style sheets, so that it has run before anything is drawn.
{
  let theme = new URLSearchParams(location.search).get("theme");
  try {
    theme ??= localStorage.getItem("theme");
  } catch {
    // A browser that keeps nothing for pages has no theme of its own.
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}
