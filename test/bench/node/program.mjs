import { startAgent } from './agents.mjs'

/**
 * A program that uses an agent, in a process of its own: does what a row of the bench asks of it, told by the first argument. What it sends
 * does not hold the process; waiting for an answer does.
 */
const { row, part, found, options } = JSON.parse(process.argv[2])
const { [part]: run } = await import(new URL(`rows/${row}.mjs`, import.meta.url).href)

const tell = (message) => process.send(message)
const told = () => new Promise((resolve) => process.once('message', resolve))

await run({ agent: await startAgent(found, options), tell, told })
