//! What a scratchpad asks of the driver, and which of its refusals a load tolerates.

#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use device_image::Generation;
use device_image::dmem::{Allocator, Category, Driver, DriverError, Status};
use device_image::scratchpad::{Group, InitRequest, KbinSizes, Scratchpad};

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
