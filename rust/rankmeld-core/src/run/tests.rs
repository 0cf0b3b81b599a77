//! What must hold of runs whatever a file holds and however many threads share the queries.

use proptest::prelude::*;

use super::*;
use crate::fusion::rank_credits::RankCredit;
use crate::fusion::{Combination, Duplicates, Method, Rankings, Request, fuse};
use crate::text::Vocabulary;
use crate::{Error, Watch, order};

fn read(pieces: &[&[u8]], repeats: Repeats) -> Result<Table, BadLine> {
    let mut reader = Reader::new(Layout::Run);
    for piece in pieces {
        reader.feed(piece, Watch::never()).expect("nobody stops it");
    }
    reader.finish(Ties::First, repeats, Watch::never()).expect("nobody stops it")
}

fn names(vocabulary: &Vocabulary) -> Vec<&str> {
    (0..vocabulary.len() as u32).map(|code| vocabulary.token(code)).collect()
}

/// Lines of which some are bad, with few ids, so that they repeat.
fn lines() -> impl Strategy<Value = String> {
    let score = prop_oneof!["-?[0-3](\\.5)?", "[0-9]e-?[0-9]{1,3}", Just("nan".to_owned())];
    let line = prop_oneof![
        8 => ("[pq]", "[a-fé]", score).prop_map(|(q, d, s)| format!("{q} Q0\t{d}  1 {s} t")),
        1 => Just("  \r".to_owned()),
        1 => "[ pqé\t]{0,6}",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn where_pieces_end_shows_nowhere(text in lines(), cut in 0..80_usize) {
        let (head, tail) = text.as_bytes().split_at(cut.min(text.len()));
        for repeats in [Repeats::Refused, Repeats::Best, Repeats::Agreeing] {
            match (read(&[text.as_bytes()], repeats), read(&[head, b"", tail], repeats)) {
                (Ok(whole), Ok(parts)) => {
                    prop_assert_eq!(whole.columns, parts.columns);
                    prop_assert_eq!(names(&whole.queries), names(&parts.queries));
                    prop_assert_eq!(names(&whole.documents), names(&parts.documents));
                    prop_assert_eq!(whole.left_out, parts.left_out);
                }
                (whole, parts) => prop_assert_eq!(whole.err(), parts.err()),
            }
        }
    }

    #[test]
    fn what_is_written_reads_back(text in lines()) {
        let Ok(table) = read(&[text.as_bytes()], Repeats::Best) else { return Ok(()) };
        let offsets: Vec<i64> =
            table.columns.offsets.iter().map(|&at| (at as u64).cast_signed()).collect();
        let writer = Writer {
            view: View {
                offsets: &offsets,
                codes: &table.columns.codes,
                scores: &table.columns.scores,
            },
            queries: &names(&table.queries),
            documents: &names(&table.documents),
            tag: "t",
            rank_base: 1,
            strict: false,
        };
        prop_assert_eq!(writer.obstacle(Watch::never()), Ok(None));
        let lines = writer.lines(0..table.queries.len(), Watch::never()).expect("goes on");
        let back = read(&[lines.as_bytes()], Repeats::Refused).expect("what was written is read");
        prop_assert_eq!(names(&back.queries), names(&table.queries));
        prop_assert_eq!(&back.columns.offsets, &table.columns.offsets);
        prop_assert_eq!(&back.columns.scores, &table.columns.scores);
    }

    #[test]
    fn every_query_is_fused_as_if_it_were_alone(
        runs in proptest::collection::vec(
            proptest::collection::vec(proptest::collection::vec(0..9_u32, 0..7), 4), 1..4),
        limit in proptest::option::of(0..6_usize),
        threads in 1..4_usize,
    ) {
        let offsets: Vec<Vec<i64>> = runs
            .iter()
            .map(|run| {
                let ends = run.iter().scan(0, |end, codes| {
                    *end += (codes.len() as u64).cast_signed();
                    Some(*end)
                });
                [0].into_iter().chain(ends).collect()
            })
            .collect();
        let codes: Vec<Vec<u32>> = runs.iter().map(|run| run.concat()).collect();
        let zeros = vec![0.0; 30];
        let queries = [2, 0, -1, 3, 1];
        let legs: Vec<Leg<'_>> = offsets
            .iter()
            .zip(&codes)
            .map(|(offsets, codes)| Leg {
                view: View { offsets, codes, scores: &zeros },
                shared: None,
                queries: &queries,
            })
            .collect();
        let request = Request {
            method: Method::Ranks(RankCredit::Reciprocal { k: 60.0, rank_base: 1 }),
            combination: Combination::Sum,
            duplicates: Duplicates::First,
            weights: vec![1.0; runs.len()],
        };
        let batch = Batch { legs: &legs, queries: queries.len(), documents: 9 };
        let wanted = Wanted { limit, whole_ties: false };
        let fused = fuse_queries(batch, &request, wanted, threads, Watch::never());
        let fused = fused.expect("goes on").expect("finite");
        for (query, &row) in queries.iter().enumerate() {
            let lists: Vec<Vec<u32>> = runs
                .iter()
                .map(|run| usize::try_from(row).map_or_else(|_| Vec::new(), |row| run[row].clone()))
                .collect();
            let mut seen: Vec<u32> = Vec::new();
            let mut number = |code: &u32| {
                let known = seen.iter().position(|other| other == code);
                known.unwrap_or_else(|| {
                    seen.push(*code);
                    seen.len() - 1
                }) as u32
            };
            let lists: Vec<Vec<u32>> =
                lists.iter().map(|list| list.iter().map(&mut number).collect()).collect();
            let rankings = Rankings { lists, candidates: seen.len() };
            let columns = vec![&[][..]; runs.len()];
            let alone = fuse(&rankings, &columns, &request, Watch::never()).expect("finite");
            let best = order::top(&alone.scores, limit.unwrap_or(usize::MAX), Watch::never());
            let best = best.expect("goes on");
            let hits = fused.hits(query);
            let codes: Vec<u32> = best.iter().map(|&code| seen[code as usize]).collect();
            let scores: Vec<f64> = best.iter().map(|&code| alone.scores[code as usize]).collect();
            prop_assert_eq!(&fused.codes[hits.clone()], &codes);
            prop_assert_eq!(&fused.scores[hits], &scores);
        }
    }
}

#[test]
fn the_first_repeat_of_the_file_is_told() {
    let text = b"p Q0 a 1 1 t\n\nq Q0 a 1 1 t\nq Q0 a 2 0 t\np Q0 a 2 0 t\n";
    let bad = read(&[text], Repeats::Refused).expect_err("two repeats");
    let flaw = Flaw::Repeat {
        query: "q".to_owned(),
        document: "a".to_owned(),
        first: 3,
        layout: Layout::Run,
    };
    assert_eq!(bad, BadLine { line: 4, flaw });
    let best = read(&[text], Repeats::Best).expect("the better one counts");
    assert_eq!((best.columns.scores, best.left_out), (vec![1.0, 1.0], 2));
}

#[test]
fn long_files_can_be_stopped() {
    let text = "q Q0 a 1 1 t\n".repeat(20_000);
    let mut reader = Reader::new(Layout::Run);
    let stopped = reader.feed(text.as_bytes(), Watch::new(&|| false));
    assert_eq!(stopped, Err(Error::Interrupted));
}
