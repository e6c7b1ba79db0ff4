//! The memories of the cache ways, as the model knows them.

use bitline_units::duality::cache_params::LINE_WORDS;

use super::CacheWays;
use crate::state::{Contents, Touched, Words};

state! {
    CacheWays(self) {
        let params = self.params;
        in tags {
            memory (rams)[way in 0..params.ways] = Contents {
                depth: params.sets,
                words: Words::Narrow(&|set| self.tags[self.frame(way, set)]),
                touched: Touched::These(&|to| self.each_touched(way, 1, to)),
            };
        }
        in words {
            memory (rams)[way in 0..params.ways] = Contents {
                depth: LINE_WORDS * params.sets,
                words: Words::Narrow(&|at| self.word(way, at)),
                touched: Touched::These(&|to| self.each_touched(way, LINE_WORDS, to)),
            };
        }
        memory (dirty)[way in 0..params.ways] = Contents {
            depth: params.sets,
            words: Words::Narrow(&|set| self.lines[self.frame(way, set)].map(|line| u64::from(line.dirty))),
            touched: Touched::These(&|to| self.each_touched(way, 1, to)),
        };
        in replacement {
            memory (orders) = Contents {
                depth: params.sets,
                words: Words::Narrow(&|set| self.trees.as_ref().map(|trees| trees[set].bits())),
                touched: Touched::These(&|to| self.touched.iter().for_each(|at| to(at % params.sets))),
            };
        }
    }
}

impl CacheWays {
    /// A line as its place in the data memories shows it: words that are known.
    fn word(&self, way: usize, at: usize) -> Option<u64> {
        let line = self.lines[self.frame(way, at / LINE_WORDS)]?;
        (!line.pending).then_some(line.words[at % LINE_WORDS])
    }

    /// Words of a way's memory, so many a set, that may have changed in the cycle.
    fn each_touched(&self, way: usize, words: usize, to: &mut dyn FnMut(usize)) {
        let sets = self.params.sets;
        let own = self.touched.iter().filter(|&&at| at / sets == way).map(|at| at % sets);
        own.flat_map(|set| words * set..words * (set + 1)).for_each(to);
    }
}
