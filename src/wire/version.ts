/** The agent's version, on every event as `$lib_version`; a test holds it to package.json. */
export const VERSION = '0.1.0'
