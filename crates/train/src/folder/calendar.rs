//! Moments as people and file names write them, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// A moment, to the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Moment {
    year: i64,
    month: i64,
    day: i64,
    second: i64,
}

impl Moment {
    /// Days since 1970 to a date (Hinnant 2013, `civil_from_days`): years begin in March, so that the
    /// leap day is their last, and repeat every 400.
    pub(super) fn new(time: SystemTime) -> Self {
        let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
        let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
        let (era, of_era) = (days / 146_097, days % 146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Moment {
            year: year + 400 * era + i64::from(month <= 2),
            month,
            day: of_year - (153 * from_march + 2) / 5 + 1,
            second,
        }
    }

    /// Such as `20261115-081500`.
    pub(super) fn compact(self) -> String {
        let Moment { year, month, day, second } = self;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year}{month:02}{day:02}-{hour:02}{minute:02}{second:02}")
    }

    /// Such as `2026-11-15T08:15:00Z` (RFC 3339).
    pub(super) fn written_out(self) -> String {
        let Moment { year, month, day, second } = self;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| Moment::new(UNIX_EPOCH + Duration::from_secs(seconds)).written_out();
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(Moment::new(UNIX_EPOCH + Duration::from_secs(1_792_051_199)).compact(), "20261015-075959");
    }
}
