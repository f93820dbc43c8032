#!/usr/bin/env node
import { CommanderError } from 'commander'
import { surviveBrokenOutput } from './log/survive-broken-output.ts'
import { createProgram } from './command/program.ts'
import { ConfigError } from './read-config.ts'
import { StartError } from './data-folder.ts'

// The files of this process and its indexer hold personal data, so only their owner may read them.
process.umask(0o077)
surviveBrokenOutput()
// A command that could not show what it was asked for has failed. `serve` ends with a code of its own.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exitCode = 1
  if (error.code !== 'EPIPE') console.error(`waymark-service: The output cannot be written: ${error.message}`)
})

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) console.error(`waymark-service: ${error.message}`)
  else if (!(error instanceof CommanderError)) console.error(error)
  process.exitCode = 1
}
