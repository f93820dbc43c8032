import { startAgent } from './agents.mjs'

/**
 * A program that uses an agent in its own process. The first argument says which part of which row it runs. Sending a message does not keep
 * the process alive, waiting for one does.
 */
const { row, part, packageInfo, options } = JSON.parse(process.argv[2])
const { [part]: run } = await import(new URL(`rows/${row}.mjs`, import.meta.url).href)

const sendMessage = (message) => process.send(message)
const nextMessage = () => new Promise((resolve) => process.once('message', resolve))

await run({ agent: await startAgent(packageInfo, options), sendMessage, nextMessage })
