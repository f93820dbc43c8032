/** The screens of the shop, with their parameters. */
export type Screens = {
  Shop: undefined
  Account: undefined
}
