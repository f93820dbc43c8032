#!/usr/bin/env node
// The command `waymark`.
import { main } from '../command/main.ts'

process.exitCode = await main(process.argv.slice(2))
