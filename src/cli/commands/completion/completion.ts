import type { Command } from "../../frame/command.ts";
import { bashScript } from "../../completion/bash-script.ts";
import { describeLine } from "../../completion/command-line.ts";
import { fishScript } from "../../completion/fish-script.ts";
import { zshScript } from "../../completion/zsh-script.ts";

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completion: Command = {
  needs: "nothing", // runs whenever a shell starts
  arguments: [{ name: "shell", summary: "your shell", choices: Object.keys(scripts) }],
  examples: [
    {
      line: "source <(forager completion bash)",
      summary: "for this shell; in ~/.bashrc: for all",
    },
    {
      line: "forager completion zsh > ~/.zfunc/_forager",
      summary: "for zsh, where ~/.zfunc is in fpath before compinit runs",
    },
    {
      line: "forager completion fish > ~/.config/fish/completions/forager.fish",
      summary: "for fish",
    },
  ],
  details: [
    "Names of companies, people, campaigns and nodes are completed too: the scripts ask\n" +
      "`forager names`.",
  ],

  async run({ args, registry, out }) {
    const shell = args[0] as keyof typeof scripts;
    const script = scripts[shell](await describeLine(registry));
    out.result({ shell, script }, script);
  },
};
