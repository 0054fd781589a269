import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { api, apiUrl } from "../data/api.ts";
import { plural } from "../data/format.ts";
import { liveState } from "../data/live.ts";
import { useResource } from "../data/resource.ts";
import { navigate, place, withQuery } from "../data/router.ts";
import { shownText } from "../data/safe-text.ts";
import { Same } from "../parts/same.tsx";
import { SearchBox } from "../parts/search-box.tsx";
import { Loaded, Notice } from "../parts/state-view.tsx";
import { isAtLeast, levels, readDecision, readLine, scalingText, type Level, type ShownLine } from "./log-lines.ts"; // prettier-ignore
import { nameOf, type NodeRow } from "./node-health.ts";

const linesMax = 500;
const followMs = 2_000;
/** The node sends its lines often for two minutes each time it is asked. */
const askMs = 100_000;

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }); // prettier-ignore

/** The last log lines of a node, and new ones as they arrive. Text and level are in the address. */
export function NodeLog({ node }: { readonly node: NodeRow }) {
  const text = place.value.query.get("text") ?? "";
  const least = levels.find((level) => level === place.value.query.get("level")) ?? "debug";
  const isFollowing = useSignal(true);
  const query = { ...(node.isSelf ? {} : { node: node.node }), ...(text && { text }), lines: linesMax }; // prettier-ignore
  const log = useResource(JSON.stringify(query), (signal) => api.get("/api/logs", { query, signal })); // prettier-ignore
  useEffect(() => {
    if (!isFollowing.value) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden && liveState.peek() !== "paused") log.reload();
    }, followMs);
    return () => clearInterval(timer);
  }, [isFollowing.value]);
  const hasFollowFault = useSignal(false);
  useEffect(() => {
    if (!isFollowing.value || node.isSelf) return undefined;
    const ask = () => {
      if (document.hidden || liveState.peek() === "paused") return;
      api.send("POST", "/api/logs/follow", { body: { node: node.node } }).then(
        () => (hasFollowFault.value = false),
        () => (hasFollowFault.value = true),
      );
    };
    ask();
    const timer = setInterval(ask, askMs);
    return () => clearInterval(timer);
  }, [isFollowing.value]);
  const choose = (level: Level) =>
    navigate(withQuery({ level: level === "debug" ? undefined : level }), { isReplaced: true });
  return (
    <div class="stack">
      <div class="row">
        <SearchBox label="Search this log" placeholder="Only lines that contain" parameter="text" />
        <label class="row choice">
          <span class="dim">from</span>
          <select
            aria-label="Minimum level"
            value={least}
            onChange={(event) => choose(event.currentTarget.value as Level)}
          >
            {levels.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </select>
        </label>
        <label class="row choice">
          <input
            type="checkbox"
            checked={isFollowing.value}
            onChange={(event) => (isFollowing.value = event.currentTarget.checked)}
          />
          Follow
        </label>
      </div>
      {!node.isSelf && (
        <p class="dim">
          {hasFollowFault.value
            ? "This node could not be asked for its lines. They are up to a minute old, as it copied them to the bucket."
            : isFollowing.value
              ? "While you follow, this node copies its lines to the bucket every two seconds."
              : "This node copies its lines to the bucket once a minute."}
        </p>
      )}
      <Loaded from={log}>
        {({ lines }) => (
          <Lines
            lines={lines.map(readLine).filter((line) => isAtLeast(line, least))}
            isFollowing={isFollowing.value}
            hasFilter={text !== "" || least !== "debug"}
          />
        )}
      </Loaded>
      <Same
        command={node.isSelf ? "forager logs --follow" : `forager logs ${nameOf(node)} --follow`}
        api={`GET ${apiUrl("/api/logs", {}, query)}`}
      />
    </div>
  );
}

interface LinesProps {
  readonly lines: readonly ShownLine[];
  readonly isFollowing: boolean;
  readonly hasFilter: boolean;
}

function Lines({ lines, isFollowing, hasFilter }: LinesProps) {
  const box = useRef<HTMLDivElement>(null);
  const last = lines.at(-1)?.key;
  useEffect(() => {
    const { current } = box;
    if (isFollowing && current) current.scrollTop = current.scrollHeight;
  }, [last, isFollowing]);
  if (lines.length === 0)
    return (
      <Notice icon="terminal" title={hasFilter ? "No line matches" : "There are no log lines"}>
        <p>
          {hasFilter
            ? "Clear the text, or choose a lower level."
            : "A node keeps the log of forager up, forager work and forager node run."}
        </p>
      </Notice>
    );
  return (
    <div class="log" ref={box} tabIndex={0} role="log" aria-label="Log lines" aria-live="off">
      {lines.map(({ key, atMs, level, message, rest }) => (
        <div key={key} data-level={level}>
          <time>{atMs === undefined ? "" : timeFormat.format(atMs)}</time>{" "}
          <b>{shownText(level, 8)}</b> <bdi>{shownText(message, 1_000)}</bdi>{" "}
          <bdi class="dim">{shownText(rest, 2_000)}</bdi>
        </div>
      ))}
    </div>
  );
}

/** Changes of the number of concurrent tasks with their reasons, from the node's log. */
export function NodeScaling({ node }: { readonly node: NodeRow }) {
  const query = { ...(node.isSelf ? {} : { node: node.node }), text: scalingText, lines: linesMax };
  const log = useResource(node.node, (signal) => api.get("/api/logs", { query, signal }), {
    topics: ["fleet"],
  });
  return (
    <div class="stack">
      <Loaded from={log}>
        {({ lines }) => {
          const decisions = lines
            .flatMap((line, index) => readDecision(readLine(line, index)) ?? [])
            .toReversed();
          return decisions.length === 0 ? (
            <Notice icon="gauge" title="No changes yet">
              <p>
                Workers with a range of concurrent tasks, such as{" "}
                <code>forager fleet set {shownText(nameOf(node), 40)} workers.enrich=1x2-20</code>,
                choose the number themselves. Each change is listed here with its reason.
              </p>
            </Notice>
          ) : (
            <table>
              <thead>
                <tr>
                  <th>When</th>
                  <th class="n">Tasks at once</th>
                  <th>Because</th>
                </tr>
              </thead>
              <tbody>
                {decisions.slice(0, 100).map(({ key, atMs, before, after, why, worker }) => (
                  <tr key={key}>
                    <td class="nowrap">{atMs === undefined ? "" : timeFormat.format(atMs)}</td>
                    <td class="n">{before === after ? after : `${before} → ${after}`}</td>
                    <td>
                      {shownText(why, 200)} <small class="dim">{shownText(worker, 60)}</small>
                    </td>
                  </tr>
                ))}
              </tbody>
              <caption class="for-readers">{plural(decisions.length, "decision")}</caption>
            </table>
          );
        }}
      </Loaded>
      <Same
        command={`forager logs${node.isSelf ? "" : ` ${nameOf(node)}`} -n 2000 --json | grep "${scalingText}"`}
        api={`GET ${apiUrl("/api/logs", {}, query)}`}
      />
    </div>
  );
}
