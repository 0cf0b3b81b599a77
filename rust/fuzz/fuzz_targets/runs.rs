//! Any bytes are a run or a bad line, wherever they are cut; what was read is ordered and distinct, and
//! what is written of it reads back to the bit.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rankmeld_core::Watch;
use rankmeld_core::run::{BadLine, Layout, Reader, Repeats, Table, Ties, View, Writer};

fn read(pieces: &[&[u8]], layout: Layout) -> Result<Table, BadLine> {
    let mut reader = Reader::new(layout);
    for piece in pieces {
        reader.feed(piece, Watch::never()).expect("nobody stops it");
    }
    let repeats = if layout == Layout::Run { Repeats::Refused } else { Repeats::Agreeing };
    reader.finish(Ties::First, repeats, Watch::never()).expect("nobody stops it")
}

fuzz_target!(|input: (&[u8], u16, bool)| {
    let (content, cut, judgements) = input;
    let layout = if judgements { Layout::Judgements } else { Layout::Run };
    let (head, tail) = content.split_at(usize::from(cut).min(content.len()));
    let (whole, parts) = (read(&[content], layout), read(&[head, tail], layout));
    let table = match (whole, parts) {
        (Ok(whole), Ok(parts)) => {
            assert_eq!(whole.columns, parts.columns);
            whole
        }
        (Err(whole), Err(parts)) => {
            assert_eq!(whole, parts);
            let lines = content.iter().filter(|&&byte| byte == b'\n').count() + 1;
            assert!((1..=lines).contains(&whole.line));
            return;
        }
        _ => panic!("a cut changed what was read"),
    };
    if judgements {
        return;
    }
    for query in 0..table.columns.queries() {
        let hits = table.columns.hits(query);
        assert!(table.columns.scores[hits.clone()].is_sorted_by(|a, b| a >= b));
        let mut codes = table.columns.codes[hits].to_vec();
        codes.sort_unstable();
        assert!(codes.is_sorted_by(|a, b| a < b));
    }
    let names = |vocabulary: &rankmeld_core::text::Vocabulary| -> Vec<String> {
        (0..vocabulary.len()).map(|code| vocabulary.token(code as u32).to_owned()).collect()
    };
    let (queries, documents) = (names(&table.queries), names(&table.documents));
    let writable = |name: &String| {
        !name.starts_with('\u{feff}') && !name.bytes().any(|byte| byte == b'\r' || byte == b'\n')
    };
    if !queries.iter().chain(&documents).all(writable) {
        return;
    }
    let offsets: Vec<i64> = table.columns.offsets.iter().map(|&at| at as i64).collect();
    let writer = Writer {
        view: View {
            offsets: &offsets,
            codes: &table.columns.codes,
            scores: &table.columns.scores,
        },
        queries: &queries.iter().map(String::as_str).collect::<Vec<_>>(),
        documents: &documents.iter().map(String::as_str).collect::<Vec<_>>(),
        tag: "t",
        rank_base: 1,
        strict: false,
    };
    assert_eq!(writer.obstacle(Watch::never()), Ok(None));
    let lines = writer.lines(0..queries.len(), Watch::never()).expect("nobody stops it");
    let back = read(&[lines.as_bytes()], layout).expect("what was written is read");
    assert_eq!(names(&back.queries), queries);
    let bits = |scores: &[f64]| -> Vec<u64> { scores.iter().map(|score| score.to_bits()).collect() };
    assert_eq!(bits(&back.columns.scores), bits(&table.columns.scores));
});
