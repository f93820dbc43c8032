const RIGHT_TO_LEFT_MARK = '\u200F'

/** A run as it is given to a renderer, which would take the blanks and brackets at its ends for text from left to right. */
export const markDirection = ({
  text,
  isRightToLeft,
}: {
  readonly text: string
  readonly isRightToLeft: boolean
}): string => (isRightToLeft ? `${RIGHT_TO_LEFT_MARK}${text}${RIGHT_TO_LEFT_MARK}` : text)
