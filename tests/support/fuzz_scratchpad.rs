//! Fuzz body of the scratchpad: any bytes become a sequence of loads, unloads and look-ups on one
//! core; pages, references and answers must be those of a plain list of loads, and the driver must
//! have given exactly the pages that are there.

use device_image::Generation;
use device_image::dmem::{Allocator, Category, Driver, DriverError, Status};
use device_image::scratchpad::arena::{find, pack};
use device_image::scratchpad::{InitRequest, Mode, PagePlace, Scratchpad};

/// A driver with so many pages; it remembers which are out.
struct Pages {
    left: u32,
    next: u64,
    out: Vec<u64>,
    in_order: bool,
}

impl Driver for Pages {
    fn allocate(
        &mut self,
        channel: u32,
        bytes: u64,
        _alignment: u64,
        _category: Category,
    ) -> Result<u64, DriverError> {
        self.allocate_contiguous(channel, bytes)
    }

    fn allocate_contiguous(&mut self, _channel: u32, _bytes: u64) -> Result<u64, DriverError> {
        self.left = self.left.checked_sub(1).ok_or(DriverError::OutOfMemory)?;
        self.next -= 1 << 32;
        self.out.push(self.next);
        Ok(self.next)
    }

    fn free(&mut self, _channel: u32, address: u64) {
        self.in_order &= self.out.last() == Some(&address);
        self.out.retain(|one| *one != address);
        self.left += 1;
    }
}

/// Takes the first three bytes for mode, page size and pages of the driver, and each four that
/// follow for a step.
///
/// # Panics
///
/// When the scratchpad and the plain list differ.
#[allow(clippy::unwrap_used, clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let Some((&[mode, size, limit], rest)) = data.split_first_chunk::<3>() else { return };
    let request = InitRequest {
        page_size: 1 + u64::from(size % 16),
        contiguous: mode % 2 == 1,
        generation: Generation::Cayman,
        cores: 2,
        driver_is_able: true,
    };
    let mut scratchpad = Scratchpad::init(request, 0, 0).unwrap();
    let (mode, page_size) = (scratchpad.mode(), scratchpad.page_size());
    let most = u64::from(limit);
    let pages = Pages { left: limit.into(), next: 1 << 48, out: Vec::new(), in_order: true };
    let mut memory = Allocator::new(pages);
    // Bytes of each load that is there.
    let mut loads: Vec<u64> = Vec::new();
    let mut running = 0;
    for step in rest.chunks_exact(4) {
        let &[what, a, b, c] = step else { continue };
        // Small and huge numbers, around the ends of pages.
        let number = |byte: u8| match byte {
            0..=199 => u64::from(byte) * page_size / 8,
            200..=239 => u64::from(byte - 200) * page_size + 1,
            240..=249 => (page_size * u64::from(byte - 239)).saturating_sub(1),
            _ => u64::MAX - u64::from(byte - 250),
        };
        let pages_of = |bytes: u64| bytes.div_ceil(page_size);
        match what % 4 {
            0 => {
                let bytes = number(a);
                let there = scratchpad.pages().len() as u64;
                let made = scratchpad.reserve(&mut memory, bytes);
                let needed = pages_of(bytes);
                let status = made.err().map(|error| error.status());
                let expected = if needed > 1024 {
                    Some(Some(Status::INVALID))
                } else if needed > most.max(there) {
                    Some(Some(Status::RESOURCE))
                } else {
                    None
                };
                assert_eq!(status, expected, "{bytes} bytes, {there} pages of {most}");
                if expected.is_none() {
                    loads.push(bytes);
                }
            }
            1 if !loads.is_empty() => {
                let bytes = loads.remove(usize::from(a) % loads.len());
                scratchpad.free(&mut memory, bytes).unwrap();
            }
            1 => assert!(scratchpad.free(&mut memory, 1).is_err()),
            2 => look_up(&scratchpad, number(a).saturating_add(u64::from(b)), number(c)),
            _ => running = check_pack(mode, page_size, running, number(a)),
        }
        let highest = loads.iter().map(|bytes| pages_of(*bytes)).max().unwrap_or(0);
        let refs: Vec<u32> = scratchpad.pages().iter().map(|page| page.refs).collect();
        let plain: Vec<u32> = (0..highest)
            .map(|page| loads.iter().filter(|bytes| pages_of(**bytes) > page).count() as u32)
            .collect();
        assert_eq!(refs, plain);
        let addresses: Vec<u64> = scratchpad.pages().iter().map(|page| page.mem.physical).collect();
        assert_eq!(addresses, memory.driver.out);
        assert!(memory.driver.in_order, "pages are given back from the top");
        assert_eq!(memory.counters.channel(0), highest * page_size);
    }
}

/// A range is where all its bytes are: in one page, or in one region.
fn look_up(scratchpad: &Scratchpad, offset: u64, size: u64) {
    let (page_size, count) = (scratchpad.page_size(), scratchpad.pages().len() as u64);
    let found = find(scratchpad.mode(), page_size, count, offset, size);
    let end = u128::from(offset) + u128::from(size);
    let all = u128::from(page_size) * u128::from(count);
    let page = offset / page_size;
    let last = (end.max(1 + u128::from(offset)) - 1) / u128::from(page_size);
    let place = |page| Some(PagePlace { page, in_page: offset % page_size });
    let fits = end <= u128::from(u64::MAX) && page < count;
    let expected = match scratchpad.mode() {
        Mode::Paged if fits && last == u128::from(page) => place(page),
        Mode::Contiguous if fits && end <= all => place(count - 1 - page),
        _ => None,
    };
    assert_eq!(found, expected, "{offset} + {size} in {count} pages of {page_size}");
    assert_eq!(scratchpad.address(offset, size).is_some(), expected.is_some());
}

/// A slice begins where the last one ended, or at the next page if it would be cut there.
fn check_pack(mode: Mode, page_size: u64, running: u64, size: u64) -> u64 {
    let wide = u128::from(running);
    let next_page = wide.div_ceil(page_size.into()) * u128::from(page_size);
    let is_cut = wide < next_page && wide + u128::from(size) > next_page;
    let start = if is_cut && mode == Mode::Paged { next_page } else { wide };
    let end = start + u128::from(size);
    let made = pack(mode, page_size, running, size);
    let expected = u64::try_from(end).ok().map(|end| (start as u64, end));
    assert_eq!(made, expected, "{size} bytes at {running}, pages of {page_size}");
    // Start over where numbers end.
    expected.map_or(0, |(_, end)| end).min(1 << 40)
}
