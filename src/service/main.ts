#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createProgram } from './command/program.ts'
import { ConfigError } from './read-config.ts'
import { StartError } from './data-folder.ts'

// All that this process and its indexer write is about people: nobody else on the machine reads it.
process.umask(0o077)

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) console.error(`waymark-service: ${error.message}`)
  else if (!(error instanceof CommanderError)) console.error(error)
  process.exitCode = 1
}
