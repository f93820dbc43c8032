/** How to reach a service, and as whom. */
export interface ClientOptions {
  /** URL of the service, such as `https://analytics.example.com`. It may have a path. */
  readonly host: string
  /** A personal API key (`wmx_…`). It is secret: in a page, everybody who can open the page can read it. */
  readonly personalApiKey: string
  /** Id of the project that `{project_id}` in paths stands for. Default: `@current`, the oldest project that the key may see. */
  readonly projectId?: string | undefined
  /** Milliseconds that one attempt may take, with its whole response. Default 60,000, twice the time that a query may take by default. */
  readonly timeoutMs?: number | undefined
  /** How often a failed request that only reads, or has the same effect when repeated, is sent again. Default 2. */
  readonly maxRetries?: number | undefined
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

/** Checked options, with all defaults. */
export interface ResolvedOptions extends Required<ClientOptions> {
  /** Without a slash at its end. */
  readonly host: string
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MAX_RETRIES = 2

/** Checks options as JavaScript callers pass them. Throws `TypeError`; no message contains the key. */
export const resolveOptions = (options: ClientOptions): ResolvedOptions => ({
  host: parseHost(options.host),
  personalApiKey: parseKey(options.personalApiKey),
  projectId: options.projectId ?? '@current',
  timeoutMs: parseNumber('timeoutMs', options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  maxRetries: parseNumber('maxRetries', options.maxRetries ?? DEFAULT_MAX_RETRIES),
  // The platform's fetch needs `globalThis` as `this`, and may be replaced later, for example by a test.
  fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
})

const fail = (problem: string): never => {
  throw new TypeError(problem)
}

const parseHost = (input: unknown): string => {
  const host = typeof input === 'string' ? input.trim() : ''
  const url = URL.canParse(host) ? new URL(host) : null
  // Errors contain the host, where a password must not appear.
  if (url !== null && url.username + url.password !== '')
    fail('The URL of the service must not contain a user name or password.')
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(host))
    return fail(`"${host}" is not the URL of a service. Use a URL such as https://analytics.example.com.`)
  return host.replace(/\/+$/, '')
}

const parseKey = (input: unknown): string => {
  const key = typeof input === 'string' ? input.trim() : ''
  if (key === '') fail('The personal API key is missing.')
  // Checked here, because the errors of `fetch` contain the value of a header that cannot be sent.
  if (/[^\x21-\x7e]/.test(key)) fail('The personal API key contains a character that no key has. Copy it again.')
  return key
}

const parseNumber = (name: string, input: unknown): number =>
  typeof input === 'number' && input >= 0 ? input : fail(`"${name}" must be a number of 0 or more.`)
