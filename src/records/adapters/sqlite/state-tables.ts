import type Database from "better-sqlite3";
import type { LedgerPosition } from "../../../ledger/index.ts";
import type { IndexBatch, RecordProblem, RenderMark } from "../../search/record-index.ts";

/** Everything except records: position, rendered files, and files that cannot be used. */
export function stateTables(db: Database.Database) {
  const meta = db.prepare<[string], string>("select value from meta where name = ?").pluck();
  const setMeta = db.prepare("insert or replace into meta (name, value) values (?, ?)");
  const render = db.prepare<[string], RenderMark>(
    "select target, folder, rev from render where target = ?",
  );
  const setRender = db.prepare(
    "insert or replace into render (target, folder, rev) values (@target, @folder, @rev)",
  );
  const dropRender = db.prepare("delete from render where target = ?");
  const problems = db.prepare<[], RecordProblem & { readonly target: string | null }>(
    "select path, target, reason, found_at as foundAt from problem order by path",
  );
  const setProblem = db.prepare(
    "insert or replace into problem (path, target, reason, found_at) values (?, ?, ?, ?)",
  );
  const dropProblem = db.prepare("delete from problem where path = ?");

  return {
    reads: {
      position(): LedgerPosition | undefined {
        const text = meta.get("position");
        return text === undefined ? undefined : (JSON.parse(text) as LedgerPosition);
      },
      mark: () => meta.get("mark"),
      render: (target: string) => render.get(target),
      problems: (): readonly RecordProblem[] =>
        problems.all().map((row) => ({ ...row, target: row.target ?? undefined })),
    },
    setMark: (text: string) => void setMeta.run("mark", text),
    apply(batch: IndexBatch): void {
      for (const { target, folder, rev } of batch.renders ?? []) {
        setRender.run({ target, folder, rev });
      }
      for (const target of batch.unrendered ?? []) dropRender.run(target);
      for (const { path, problem } of batch.problems ?? []) {
        if (!problem) dropProblem.run(path);
        else setProblem.run(path, problem.target ?? null, problem.reason, problem.foundAt);
      }
      if (batch.position) setMeta.run("position", JSON.stringify(batch.position));
    },
  };
}
