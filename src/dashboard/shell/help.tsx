import { isPublished } from "../data/published.ts";
import { Dialog } from "../parts/dialog.tsx";
import { isHelpOpen } from "./keys.ts";
import { screens } from "./screens.tsx";

export function Help() {
  const keys: readonly (readonly [string, string])[] = [
    ["⌘K or Ctrl K", "go to a page, a campaign or a company"],
    ["/", "search on this page"],
    ...screens.map(({ key, title }) => [`g ${key}`, `go to ${title}`] as const),
    ["t", "change between light, dark and the system's choice"],
    ["Esc", "close"],
    ["?", "this help"],
  ];
  return (
    <Dialog title="Help" onClose={() => (isHelpOpen.value = false)}>
      <p>
        Every number is a link to its list. What you choose is in the address of the page, so you
        can bookmark and share it.
        {!isPublished &&
          " At the end of a page you find the command and the API call that return the same data."}
      </p>
      <table>
        <thead>
          <tr>
            <th>Key</th>
            <th>What it does</th>
          </tr>
        </thead>
        <tbody>
          {keys.map(([key, text]) => (
            <tr key={key}>
              <td class="nowrap">
                <kbd>{key}</kbd>
              </td>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Dialog>
  );
}
