/** The output of `waymark --help`. */
export const HELP = `waymark <command>

  query    runs SQL on the events of a project: waymark query --help
  api      calls a path of the management API: waymark api --help
  types    writes the events and flags of a project as TypeScript types: waymark types --help
  import   sends the history of a project to the service: waymark import --help

  --help, --version
`

const SERVICE_OPTIONS = `  --host URL          URL of the service, such as https://analytics.example.com; default: WAYMARK_URL
  --personal-key KEY  personal API key; default: WAYMARK_PERSONAL_API_KEY, which other users of the machine cannot see
  --project ID        project; default: WAYMARK_PROJECT, else the oldest project that the key may see`

const EXIT_CODES = `Exit codes: 0 for success; 1 for an error of the service or the connection; 2 for a wrong command; 130 when the command was
stopped (Ctrl-C).`

/** The output of `waymark query --help`. */
export const QUERY_HELP: string = `waymark query <SQL|-> [options]

Runs one SELECT, from the command line or from standard input (-), and prints its rows.

  --format FORMAT     table, csv (with a header) or ndjson (one JSON object per line); default: table on a terminal, else
                      ndjson
${SERVICE_OPTIONS}
  --help

${EXIT_CODES}
`

/** The output of `waymark api --help`. */
export const API_HELP: string = `waymark api <method> <path> [options]

Calls a path of the management API, and prints the JSON of the response. {project_id} in the path stands for the project:

  waymark api GET /api/environments/{project_id}/feature_flags/?limit=10
  waymark api PATCH /api/environments/{project_id}/feature_flags/7/ --data '{"active": false}'

  --data JSON         body of the request; @file reads it from a file, and - from standard input
${SERVICE_OPTIONS}
  --help

${EXIT_CODES}
`

/** The output of `waymark types --help`. */
export const TYPES_HELP: string = `waymark types [options]

Prints the names of the events and flags of a project as TypeScript declarations. With them in your program, capture() and the
verbs that read flags refuse other names at compile time:

  waymark types --out src/waymark-names.d.ts

  --out FILE          file for the declarations; default: standard output
  --only KIND         events or flags; default: both
${SERVICE_OPTIONS}
  --help

${EXIT_CODES}
`

/** The output of `waymark import --help`. */
export const IMPORT_HELP = `waymark import <file|-> --key <project API key> --host <URL> [options]

Sends the events of a file, or of standard input (-), as a historical migration: in order, each stored once.
If the import is interrupted, run the same command again: it continues where it stopped.

Input: NDJSON (one JSON object per line) or CSV with a header, in UTF-8, optionally compressed with gzip.
Each row needs event, distinct_id and timestamp (ISO 8601: 2024-01-31T09:00:00Z); properties and uuid are optional.
In CSV, the column "properties" holds JSON, and a column "properties.plan" the property "plan".

  --key KEY          project API key
  --host URL         URL of the service, such as https://analytics.example.com
  --format FORMAT    ndjson or csv; default: by the extension of the file, else by its first bytes
  --text COLUMN      CSV: keeps the cells of this property as strings, even if they look like numbers; can be repeated
  --rejects PATH     file for rejected rows; default: <file>.rejects.ndjson, or waymark-import.rejects.ndjson for -
  --journal PATH     file that records progress; default: <file>.waymark-import.json, or none for -
  --no-journal       records no progress
  --restart          starts from the beginning, whatever the journal says
  --max-retries N    gives up after N retries that failed in a row; default: never, once the host has responded
  --dry-run          checks the input and sends nothing; writes rejects only if --rejects is set
  --help

Exit codes: 0 when the whole input was read, even if rows were rejected; 1 for an error of the import as a whole;
2 for a wrong command; 130 when the import was stopped (Ctrl-C).
`
