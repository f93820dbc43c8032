import { expect, test } from 'vitest'
import { ExportError } from '../../../src/service/export/export-error.ts'
import { PictureError } from '../../../src/service/export/picture/picture-error.ts'
import { retryWhileBusy } from '../../../src/service/export/retry-while-busy.ts'
import { QueryError } from '../../../src/service/indexer/query-error.ts'

/** Work that fails in turn with these errors, and then succeeds. */
const failingWork = (...errors: readonly Error[]) => {
  const state = { tries: 0 }
  const work = () => {
    const error = errors[state.tries]
    state.tries += 1
    return error === undefined ? Promise.resolve('done') : Promise.reject(error)
  }
  return { state, work }
}

const options = () => ({ signal: new AbortController().signal, delayMs: 0 })

test('work is done again while the service is busy', async () => {
  const { state, work } = failingWork(
    new QueryError('project_busy', 'Later.'),
    new QueryError('service_busy', 'Later.'),
    new PictureError('busy', 'Later.'),
    new QueryError('store_unavailable', 'Later.'),
  )
  expect([await retryWhileBusy(work, options()), state.tries]).toEqual(['done', 5])
})

test('work that fails for another reason is not done again', async () => {
  const error = new QueryError('timeout', 'It took too long.')
  const { state, work } = failingWork(error)
  await expect(retryWhileBusy(work, options())).rejects.toBe(error)
  expect(state.tries).toBe(1)
})

test('work that finds no store three times may be the reason, and is given up', async () => {
  const { state, work } = failingWork(...Array.from({ length: 9 }, () => new QueryError('store_unavailable', 'Later.')))
  await expect(retryWhileBusy(work, options())).rejects.toThrow(ExportError)
  expect(state.tries).toBe(3)
})

test('work is given up when the service stays busy', async () => {
  const { state, work } = failingWork(...Array.from({ length: 200 }, () => new QueryError('service_busy', 'Later.')))
  await expect(retryWhileBusy(work, options())).rejects.toThrow('busy')
  expect(state.tries).toBe(120)
})

test('the wait ends when the signal is aborted', async () => {
  const canceller = new AbortController()
  const { work } = failingWork(new QueryError('service_busy', 'Later.'))
  const result = retryWhileBusy(work, { signal: canceller.signal, delayMs: 60_000 })
  canceller.abort()
  await expect(result).rejects.toThrow('aborted')
})
