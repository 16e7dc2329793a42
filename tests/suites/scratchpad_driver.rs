//! What a scratchpad asks of the driver, and which of its refusals a load tolerates.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a suite fails by panicking")]

use device_image::Generation;
use device_image::dmem::{Allocator, Category, Driver, DriverError, Status};
use device_image::scratchpad::advice::is_private;
use device_image::scratchpad::arena::rule;
use device_image::scratchpad::{
    Group, InitRequest, KbinSizes, LoadError, Mode, PagePlace, Scratchpad, ScratchpadError,
};

const PAGE: u64 = 512 << 20;
const STEP: u64 = 64 << 20;

/// Gives so many pages, and keeps what it was asked: HBM, bytes, alignment, category; a piece of a
/// region has no alignment.
#[derive(Debug)]
struct Asked {
    left: u32,
    next: u64,
    requests: Vec<(u32, u64, Option<u64>, Category)>,
}

impl Asked {
    fn take(&mut self, bytes: u64) -> Result<u64, DriverError> {
        self.left = self.left.checked_sub(1).ok_or(DriverError::OutOfMemory)?;
        self.next += bytes;
        Ok(self.next - bytes)
    }
}

impl Driver for Asked {
    fn allocate(
        &mut self,
        channel: u32,
        bytes: u64,
        alignment: u64,
        category: Category,
    ) -> Result<u64, DriverError> {
        self.requests.push((channel, bytes, Some(alignment), category));
        self.take(bytes)
    }

    fn allocate_contiguous(&mut self, channel: u32, bytes: u64) -> Result<u64, DriverError> {
        self.requests.push((channel, bytes, None, Category::MAX));
        self.take(bytes)
    }

    fn free(&mut self, _channel: u32, _address: u64) {}
}

fn driver(left: u32) -> Allocator<Asked> {
    Allocator::new(Asked { left, next: 1 << 32, requests: Vec::new() })
}

fn scratchpad(contiguous: bool, core: u32, channel: u32) -> Scratchpad {
    let request = InitRequest {
        page_size: PAGE,
        contiguous,
        generation: Generation::Cayman,
        cores: 2,
        driver_is_able: true,
    };
    Scratchpad::init(request, core, channel).unwrap()
}

#[test]
fn pages_are_asked_for_one_by_one_at_4_mib() {
    let mut memory = driver(9);
    scratchpad(false, 5, 2).reserve(&mut memory, PAGE + 1).unwrap();
    // Category 11 of the device: a scratchpad.
    let page = (2, PAGE, Some(0x40_0000), Category(11));
    assert_eq!(memory.driver.requests, [page, page]);
    let mut memory = driver(9);
    scratchpad(true, 5, 2).reserve(&mut memory, PAGE + 1).unwrap();
    assert_eq!(memory.driver.requests, [(2, STEP, None, Category::MAX); 9]);
}

#[test]
fn only_the_sharing_core_goes_on_at_the_end_of_a_region() {
    // The second core has a region of its own, and no step for it; the first one is paged, so that
    // local slices may lie on their own cores.
    let kbins = [KbinSizes::default(), KbinSizes { core: 1, local: STEP, shared: 0 }];
    let mut group = Group::new(vec![scratchpad(false, 0, 0), scratchpad(true, 1, 0)], 2);
    group.scratchpad_on_single_core = true;
    let error = group.load(&mut driver(0), &kbins, |_, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Some(Status::RESOURCE));
    // A sharing core with a region does go on.
    let mut group = Group::new(vec![scratchpad(true, 0, 0), scratchpad(true, 1, 0)], 2);
    let loaded = group.load(&mut driver(0), &kbins, |_, _| Ok(())).unwrap();
    assert_eq!(loaded.notes, ["Could not grow contiguous scratchpad beyond 0 bytes"]);
}

#[test]
fn references_that_run_out_and_pages_that_are_skipped_end_the_runtime() {
    let mut memory = driver(9);
    let mut one = scratchpad(false, 0, 0);
    one.reserve(&mut memory, 2 * PAGE).unwrap();
    one.reserve(&mut memory, PAGE).unwrap();
    one.free(&mut memory, PAGE).unwrap();
    // The first page has no user then, the second one has: they are not freed from the top.
    let line = |error: ScratchpadError| match error {
        ScratchpadError::Assertion { text, line } => (text, line),
        other => panic!("{other}"),
    };
    let skipped = "pages that were freed are not those marked for freeing";
    assert_eq!(line(one.free(&mut memory, PAGE).unwrap_err()), (skipped, 0x11B));
    let refs = |one: &Scratchpad| one.pages().iter().map(|page| page.refs).collect::<Vec<u32>>();
    assert_eq!(refs(&one), [0, 1]);
    let out = "the references of a page run out of their range";
    assert_eq!(line(one.free(&mut memory, 2 * PAGE).unwrap_err()), (out, 0));
    assert_eq!(refs(&one), [0, 1], "all of them or none");
}

#[test]
fn the_rule_itself_never_wraps_around() {
    // 2^40 pages of 2^26 bytes are 2^66 bytes: the first byte is on the last page.
    let last = PagePlace { page: (1 << 40) - 1, in_page: 0 };
    assert_eq!(rule(Mode::Contiguous, STEP, 1 << 40, 0, 1), Some(last));
    // The last byte of a page, which ends at 2^64.
    assert_eq!(rule(Mode::Paged, PAGE, 1024, u64::MAX, 1), None);
    assert!(is_private(PAGE, u64::MAX, 1));
    assert!(!is_private(PAGE, u64::MAX - 1, 1));
}

#[test]
fn kbins_and_cores_are_counted_first() {
    let two = || Group::new(vec![scratchpad(false, 0, 0), scratchpad(false, 1, 0)], 2);
    let three = [KbinSizes::default(); 3];
    let error = two().plan(&three).unwrap_err();
    assert_eq!(error, LoadError::Kbins { kbins: 3, cores: 2, line: 0x1A2 });
    // A core that is not there is one too where all slices lie on the sharing core.
    let stray = [KbinSizes { core: 2, ..KbinSizes::default() }];
    let error = two().plan(&stray).unwrap_err();
    assert_eq!(error, LoadError::Kbins { kbins: 1, cores: 2, line: 0x1A2 });
    let mut region = Group::new(vec![scratchpad(true, 0, 0), scratchpad(true, 1, 0)], 2);
    let kbin = [KbinSizes { core: 0, local: 1, shared: 0 }];
    let error = region.load(&mut driver(9), &kbin, |_, _| Err(-5)).unwrap_err();
    assert_eq!(error.status(), Some(Status::FAILURE));
}

#[test]
fn pieces_of_a_region_are_counted_once_and_given_back() {
    let mut memory = driver(9);
    let mut one = scratchpad(true, 5, 2);
    one.reserve(&mut memory, STEP + 1).unwrap();
    assert_eq!((memory.counters.channel(2), memory.counters.total(5)), (2 * STEP, 2 * STEP));
    one.free(&mut memory, STEP + 1).unwrap();
    assert_eq!((memory.counters.channel(2), memory.counters.total(5)), (0, 0));
}
