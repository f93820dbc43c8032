/** What `waymark --help` says. */
export const HELP = `waymark <command>

  import   sends the history of a project to the service: waymark import --help

  --help, --version
`

/** What `waymark import --help` says. */
export const IMPORT_HELP = `waymark import <file|-> --key <project api key> --host <address> [options]

Sends the events of a file, or of standard input (-), as a historical migration: in their order, each stored once.
Run the same command again after whatever ended it, and it goes on where it was.

Input: NDJSON (one JSON object in each line) or CSV with a header, in UTF-8, also packed with gzip.
Each row needs event, distinct_id and timestamp (ISO 8601: 2024-01-31T09:00:00Z); properties and uuid are optional.
In CSV, "properties" holds JSON, and a column "properties.plan" the property "plan".

  --key KEY          project api key
  --host ADDRESS     address of the service, https://analytics.example.com
  --format FORMAT    ndjson or csv; default: by the extension of the file, else by its first bytes
  --text COLUMN      CSV: the cells of this column of properties stay texts, though they look like numbers; can be repeated
  --rejects PATH     where rejected rows go; default: <file>.rejects.ndjson, for - waymark-import.rejects.ndjson
  --journal PATH     where progress is written down; default: <file>.waymark-import.json, for - none
  --no-journal       writes no progress down
  --restart          begins anew, whatever the journal says
  --max-retries N    gives up when so many tries after the first one fail in a row; default: never, once the host has answered
  --dry-run          checks the input and sends nothing; writes rejects only where --rejects says
  --help, --version

Ends with 0 when all was read, though rows may be rejected; 1 when something is wrong as a whole; 2 for a wrong command;
130 when it was stopped (Ctrl-C).
`
