import { spawn } from 'node:child_process'

/**
 * `node run-together.mjs <script>...`: runs scripts of package.json at the same time, because most of them use one core. Prints what each
 * printed when it has ended, so that the texts do not mix. Waits for all, and fails if one has failed.
 */
const run = (/** @type {string} */ script) =>
  /** @type {Promise<boolean>} */ (
    new Promise((resolve) => {
      const child = spawn('npm', ['run', script], { stdio: ['ignore', 'pipe', 'pipe'] })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (output += chunk))
      child.once('close', (code) => {
        process.stdout.write(output)
        if (code !== 0) console.log(`"npm run ${script}" has failed.`)
        resolve(code === 0)
      })
    })
  )

const results = await Promise.all(process.argv.slice(2).map(run))
process.exitCode = results.every(Boolean) ? 0 : 1
