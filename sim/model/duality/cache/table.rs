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
                touched: Touched::These(&|to| self.each_touched(way, to)),
            };
        }
        in words {
            memory (rams)[at in 0..params.ways * LINE_WORDS] = Contents {
                depth: params.sets,
                words: Words::Narrow(&|set| self.word(at / LINE_WORDS, set, at % LINE_WORDS)),
                touched: Touched::These(&|to| self.each_touched(at / LINE_WORDS, to)),
            };
        }
        memory (dirty)[way in 0..params.ways] = Contents {
            depth: params.sets,
            words: Words::Narrow(&|set| self.lines[self.frame(way, set)].map(|line| u64::from(line.dirty))),
            touched: Touched::These(&|to| self.each_touched(way, to)),
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
    /// A word of a line as its place in the data memories shows it, if it is known.
    fn word(&self, way: usize, set: usize, word: usize) -> Option<u64> {
        let line = self.lines[self.frame(way, set)]?;
        (!line.pending && !line.blank).then_some(line.words[word])
    }

    /// Sets of a way that may have changed in the cycle.
    fn each_touched(&self, way: usize, to: &mut dyn FnMut(usize)) {
        let sets = self.params.sets;
        self.touched.iter().filter(|&&at| at / sets == way).map(|at| at % sets).for_each(to);
    }
}
