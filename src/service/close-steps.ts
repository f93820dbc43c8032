/** What must be done to close something that opens step by step: each step in the reverse order, once. */
export interface CloseSteps {
  add(step: () => unknown): void
  /** Resolves when all steps are done. Rejects with the error of one; the next call goes on after it. */
  close(): Promise<void>
}

export const createCloseSteps = (): CloseSteps => {
  const steps: (() => unknown)[] = []
  return {
    add: (step) => void steps.push(step),
    async close() {
      for (let step = steps.pop(); step !== undefined; step = steps.pop()) await step()
    },
  }
}
