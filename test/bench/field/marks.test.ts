import { expect, it } from 'vitest'
import { markScript } from './marks.mjs'

it('marks the first and the last statement of a script', () => {
  expect(markScript('run()')).toBe("performance.mark('agent:begin');run()\n;performance.mark('agent:end')")
})

it('leaves a compile hint in the first line', () => {
  expect(markScript('//# hint\nrun() // now')).toBe(
    "//# hint\nperformance.mark('agent:begin');run() // now\n;performance.mark('agent:end')",
  )
})
