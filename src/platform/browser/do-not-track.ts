/** Whether the user's browser asks that nobody track them: Global Privacy Control, or the older Do Not Track. */
export const asksNotToBeTracked = (): boolean => {
  const { globalPrivacyControl, doNotTrack } = (globalThis.navigator ?? {}) as {
    readonly globalPrivacyControl?: boolean
    readonly doNotTrack?: string | null
  }
  return !!globalPrivacyControl || doNotTrack === '1'
}
