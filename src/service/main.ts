#!/usr/bin/env node
import { CommanderError } from 'commander'
import { createProgram } from './command/program.ts'
import { ConfigError } from './config.ts'
import { StartError } from './data-folder.ts'

try {
  await createProgram().parseAsync()
} catch (error) {
  if (error instanceof ConfigError || error instanceof StartError) console.error(`waymark-service: ${error.message}`)
  else if (!(error instanceof CommanderError)) console.error(error)
  process.exitCode = 1
}
