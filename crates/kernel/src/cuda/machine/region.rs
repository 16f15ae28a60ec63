//! Pieces of the machine's memory, with their lengths: whoever wants a part of one is asked where it ends. Addresses as bare
//! numbers are for the driver and for what kernels are given, and nobody computes with them.

use std::fmt;
use std::marker::PhantomData;

/// A byte of numbers in the plan's precision, whose size only the plan's kernels know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DeviceNumber(u8);

/// Things of one type, one after the other in the machine's memory; none by default.
pub(crate) struct Region<T> {
    address: u64,
    count: usize,
    of: PhantomData<fn() -> T>,
}

impl<T> Region<T> {
    /// What an allocator has just given, or still gives.
    pub(super) fn new(address: u64, count: usize) -> Self {
        Region { address, count, of: PhantomData }
    }

    /// For the driver, and for what kernels are given.
    pub(in crate::cuda) fn address(self) -> u64 {
        self.address
    }

    /// The largest power of two, up to `most`, that its address is a multiple of.
    pub(crate) fn alignment(self, most: u32) -> u32 {
        1 << (self.address | u64::from(most)).trailing_zeros()
    }

    pub(crate) fn count(self) -> usize {
        self.count
    }

    pub(crate) fn bytes(self) -> usize {
        self.count * size_of::<T>()
    }

    /// So many of them behind the first `start`.
    pub(crate) fn part(self, start: usize, count: usize) -> Self {
        let fits = start.checked_add(count).is_some_and(|end| end <= self.count);
        assert!(fits, "{count} behind {start} of {} in a region", self.count);
        Region::new(self.address + (start * size_of::<T>()) as u64, count)
    }

    /// All but the first `start`.
    pub(crate) fn from(self, start: usize) -> Self {
        self.part(start, self.count.saturating_sub(start))
    }

    /// Pieces of these lengths, one after the other.
    pub(crate) fn split<const PIECES: usize>(self, counts: [usize; PIECES]) -> [Self; PIECES] {
        let mut start = 0;
        counts.map(|count| {
            let piece = self.part(start, count);
            start += count;
            piece
        })
    }

    /// The same bytes as things of another type.
    pub(crate) fn cast<U>(self) -> Region<U> {
        let (size, bytes) = (size_of::<U>(), self.bytes());
        assert!(self.address.is_multiple_of(size as u64), "no {size} bytes begin at {}", self.address);
        Region::new(self.address, bytes / size)
    }
}

impl<T> Clone for Region<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Region<T> {}

impl<T> Default for Region<T> {
    fn default() -> Self {
        Region::new(0, 0)
    }
}

impl<T> PartialEq for Region<T> {
    fn eq(&self, other: &Self) -> bool {
        (self.address, self.count) == (other.address, other.count)
    }
}

impl<T> Eq for Region<T> {}

impl<T> fmt::Debug for Region<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at {:#x}", self.count, self.address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_one_after_the_other_and_inside() {
        let all = Region::<f64>::new(256, 10);
        let [first, second] = all.split([3, 7]);
        assert_eq!((first.address(), first.count()), (256, 3));
        assert_eq!((second.address(), second.bytes()), (280, 56));
        assert_eq!(all.from(3), second);
        assert_eq!(second.cast::<i32>().count(), 14);
        assert_eq!(all.part(10, 0).count(), 0);
    }

    #[test]
    #[should_panic(expected = "2 behind 9 of 10 in a region")]
    fn a_part_that_would_end_behind_its_region_is_refused() {
        Region::<f64>::new(256, 10).part(9, 2);
    }
}
