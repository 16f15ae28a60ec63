//! Definitions that may use each other in any order.

/// An order in which every definition comes after those it uses, and the chains that have none.
pub(super) struct DefinitionOrder {
    /// Positions of the definitions that can be read, in order.
    pub(super) sorted: Vec<usize>,
    /// Each a chain of definitions that use each other, back to the first.
    pub(super) cycles: Vec<Vec<usize>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
    Cyclic,
}

/// Sorts definitions; `uses[i]` are those that definition `i` mentions. Without recursion: chains may
/// be as long as the file.
pub(super) fn order(uses: &[Vec<usize>]) -> DefinitionOrder {
    let mut marks = vec![Mark::New; uses.len()];
    let mut order = DefinitionOrder { sorted: Vec::new(), cycles: Vec::new() };
    for root in 0..uses.len() {
        if marks[root] != Mark::New {
            continue;
        }
        let mut path = vec![(root, 0)];
        marks[root] = Mark::Open;
        while let Some((current, next)) = path.last_mut() {
            let current = *current;
            let Some(&used) = uses[current].get(*next) else {
                if marks[current] == Mark::Open {
                    marks[current] = Mark::Done;
                    order.sorted.push(current);
                }
                path.pop();
                continue;
            };
            *next += 1;
            match marks[used] {
                Mark::New => {
                    marks[used] = Mark::Open;
                    path.push((used, 0));
                }
                Mark::Done => {}
                Mark::Open | Mark::Cyclic => {
                    if let Some(start) = path.iter().position(|&(on_path, _)| on_path == used) {
                        let chain: Vec<usize> = path[start..].iter().map(|&(on_path, _)| on_path).collect();
                        let fresh = chain.iter().any(|&member| marks[member] == Mark::Open);
                        chain.iter().for_each(|&member| marks[member] = Mark::Cyclic);
                        if fresh {
                            order.cycles.push(chain);
                        }
                    }
                }
            }
        }
    }
    order
}

/// A chain as text: `a → b → a`, shortened in the middle.
pub(super) fn chain<'n>(cycle: &[usize], name: impl Fn(usize) -> &'n str) -> String {
    const SHOWN: usize = 8;
    let mut text = String::new();
    for &member in cycle.iter().take(SHOWN) {
        text.push_str(&super::suggest::clipped(name(member)));
        text.push_str(" → ");
    }
    if cycle.len() > SHOWN {
        text.push_str("… → ");
    }
    text.push_str(&super::suggest::clipped(name(cycle[0])));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_comes_first_and_cycles_are_told_once() {
        let DefinitionOrder { sorted, cycles } =
            order(&[vec![1, 2], vec![2], vec![], vec![4], vec![3], vec![3]]);
        assert_eq!(sorted, [2, 1, 0, 5]);
        assert_eq!(cycles, [vec![3, 4]]);
    }

    #[test]
    fn a_chain_as_long_as_a_file_does_not_recurse() {
        let uses: Vec<Vec<usize>> = (0..200_000).map(|i| vec![i + 1]).chain([vec![]]).collect();
        assert_eq!(order(&uses).sorted.len(), 200_001);
    }
}
