//! C-20, R-10.5: `gm run` is killed everywhere, and the race comes to the same end.
mod field;
mod ledger;
mod process;
mod race;

use field::Field;
use process::*;
use race::Course;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tune() {
    let course = if std::env::var("LATE").is_ok() { Course::Late } else { Course::Busy };
    let field = Field::start(course).await;
    for i in 0..2 {
        let begin = std::time::Instant::now();
        let finished = run(&field, &format!("plain{i}"), Disturbance::None, was_killed).await.unwrap_or_else(|e| panic!("{e}"));
        let seen = finished.run.requests();
        eprintln!("took {:?} seen {} N {} M {}", begin.elapsed(), seen.count, finished.ledger.exchanges, finished.ledger.committed);
        eprintln!("{:?}", seen.offences);
        eprintln!("{}", finished.stderr);
        if i == 0 {
        std::fs::write("/tmp/kill-events.jsonl", &finished.events).unwrap();
        std::fs::write("/tmp/kill-requests.txt", format!("{:#?}", seen.requests)).unwrap();
        } else { std::fs::write("/tmp/kill-events2.jsonl", &finished.events).unwrap();}
    }
}
