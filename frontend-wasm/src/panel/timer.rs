//! Timers of the browser: one shot, renewed or dropped by its owner; frames.

use crate::dom::window;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// A one-shot timer that can be started again; dropping it stops it.
pub struct Timer {
    closure: Closure<dyn FnMut()>,
    handle: Rc<Cell<Option<i32>>>,
}

impl Timer {
    /// A stopped timer.
    pub fn new(mut run: impl FnMut() + 'static) -> Self {
        let handle = Rc::new(Cell::new(None));
        let own = Rc::clone(&handle);
        let closure = Closure::<dyn FnMut()>::new(move || {
            own.set(None);
            run();
        });
        Self { closure, handle }
    }

    /// Starts it, or starts it over.
    pub fn start(&self, ms: u32) {
        self.stop();
        let Some(window) = window() else { return };
        let run = self.closure.as_ref().unchecked_ref();
        let ms = i32::try_from(ms).unwrap_or(i32::MAX);
        let handle = window.set_timeout_with_callback_and_timeout_and_arguments_0(run, ms);
        self.handle.set(handle.ok());
    }

    /// Starts it unless it is running.
    pub fn start_if_idle(&self, ms: u32) {
        if !self.is_running() {
            self.start(ms);
        }
    }

    /// Whether it is running.
    pub fn is_running(&self) -> bool {
        self.handle.get().is_some()
    }

    /// Stops it.
    pub fn stop(&self) {
        if let (Some(handle), Some(window)) = (self.handle.take(), window()) {
            window.clear_timeout_with_handle(handle);
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Calls a function once in the next frame, however often it is asked.
pub struct Frame {
    closure: RefCell<Option<Closure<dyn FnMut()>>>,
    asked: Rc<Cell<bool>>,
}

impl Frame {
    /// A frame that nobody has asked for.
    pub fn new(mut run: impl FnMut() + 'static) -> Self {
        let asked = Rc::new(Cell::new(false));
        let own = Rc::clone(&asked);
        let closure = Closure::<dyn FnMut()>::new(move || {
            own.set(false);
            run();
        });
        Self { closure: RefCell::new(Some(closure)), asked }
    }

    /// Asks for the next frame.
    pub fn ask(&self) {
        if self.asked.replace(true) {
            return;
        }
        if let (Some(window), Some(closure)) = (window(), self.closure.borrow().as_ref()) {
            let _ = window.request_animation_frame(closure.as_ref().unchecked_ref());
        }
    }
}
