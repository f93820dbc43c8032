/** The environment as a user has it: without the settings that `npm test` of this repository passes to child processes. */
export const USER_ENVIRONMENT: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
)
