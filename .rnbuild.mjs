import config from '/tmp/wt-native/rollup.config.mjs'
import { rollup } from 'rollup'
const names = process.argv.slice(2)
for (const c of config({})) {
  const inputs = typeof c.input === 'string' ? [c.input] : Object.values(c.input)
  if (!inputs.some((i) => names.some((n) => i === `src/entry/${n}.ts`))) continue
  const b = await rollup(c); for (const o of [c.output].flat()) await b.write(o); await b.close()
}
