/** The agent's version, sent with every event as `$lib_version`. A test compares it with package.json. */
export const VERSION = '0.1.0'
