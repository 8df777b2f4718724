// Plugin of opencode: writes the retrospective of a session whenever it comes to rest. opencode has no event for the end
// of a session; `session.idle` comes after each answer, and what an earlier one wrote is replaced. Reports go to
// $TURNPOINT_REPORTS, else to ~/turnpoint, one folder for each session.
import { homedir } from "node:os";
import { join } from "node:path";

export const Turnpoint = async ({ $ }) => ({
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const id = event.properties.sessionID;
    if (!/^[A-Za-z0-9_-]+$/.test(id)) return;
    const reports = join(process.env.TURNPOINT_REPORTS ?? join(homedir(), "turnpoint"), id);
    await $`turnpoint retro ${id} -o ${reports}/`.quiet().nothrow();
  },
});
