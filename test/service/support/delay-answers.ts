import type { Metadata } from '../../../src/service/store/metadata/open.ts'

/** Metadata that answers nothing after `hang`, until `answer`. */
export const delayAnswers = (metadata: Metadata) => {
  let answered: Promise<void> | undefined
  let answer = (): void => undefined
  return {
    metadata: metadata.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        await answered
        return result
      },
    }),
    hang(): void {
      answered = new Promise((resolve) => (answer = resolve))
    },
    answer: (): void => answer(),
  }
}
