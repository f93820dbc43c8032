import { percentile } from '../statistics.mjs'

/**
 * The times of a question, or why it was not answered.
 *
 * @typedef {object} Measured
 * @property {string} name
 * @property {readonly number[]} durationsMs In the order of the runs.
 * @property {string} [error]
 */

/**
 * Asks questions in turn: all of them, then all of them again. A question that fails is not repeated.
 *
 * @template {{ readonly name: string }} Question
 * @param {readonly Question[]} questions
 * @param {number} runs Of each question.
 * @param {(question: Question, run: number) => unknown} ask
 * @param {(run: number) => void} [onRun]
 * @returns {Promise<readonly Measured[]>}
 */
export const measureInTurn = async (questions, runs, ask, onRun = () => undefined) => {
  const measured = questions.map(({ name }) => ({ name, durationsMs: [], error: undefined }))
  for (let run = 0; run < runs; run++) {
    onRun(run)
    for (const [index, question] of questions.entries()) {
      const result = measured[index]
      if (result.error !== undefined) continue
      const startedAt = performance.now()
      try {
        await ask(question, run)
        result.durationsMs.push(performance.now() - startedAt)
      } catch (error) {
        result.error = error.message
      }
    }
  }
  return measured
}

/**
 * The figures of a question: those of its runs, or why it was not answered.
 *
 * @param {Pick<Measured, 'durationsMs' | 'error'>} measured
 */
export const summarize = ({ durationsMs, error }) =>
  error === undefined
    ? { p50Ms: Math.round(percentile(durationsMs, 0.5)), p95Ms: Math.ceil(percentile(durationsMs, 0.95)) }
    : { error }
