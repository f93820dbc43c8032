/** Marks of direction, other characters without a form of their own, and halves of surrogate pairs. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cs}]+/gu

/**
 * A name without characters that nobody sees: a mark of direction shows the letters behind it in another order, so that `report-gpj.exe`
 * would be read as `report-exe.jpg`.
 */
export const stripInvisible = (name: string): string => name.replace(INVISIBLE, '')
