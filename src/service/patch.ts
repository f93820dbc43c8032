/**
 * A field after a PATCH: `stored` if the body does not contain it, `empty` if the body clears it with null.
 *
 * @param empty Default: `stored`, so that null changes nothing.
 */
export const patch = <Value>(sent: Value | null | undefined, stored: Value, empty: Value = stored): Value =>
  sent === undefined ? stored : (sent ?? empty)
