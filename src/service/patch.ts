/** A field after a PATCH: `stored` if the body does not contain it, `empty` if the body clears it with null. */
export const patch = <Value>(sent: Value | null | undefined, stored: Value, empty: Value): Value =>
  sent === undefined ? stored : (sent ?? empty)
