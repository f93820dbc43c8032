#!/usr/bin/env node
// The command `waymark` (`waymark import`), which imports the history of a project.
import { main } from '../import/command/main.ts'

process.exitCode = await main(process.argv.slice(2))
