// Cases that take long: they derive keys from passwords again and again, handle documents of the greatest size, or look at
// thousands of changes.

/** Whether a case is left out where another place of the same program runs it: in the workers of a browser, say, whose page does. */
export const isLong = (name) => LONG.test(name)

const LONG =
  /^(?:twins: |text: none of |text: limits |image: none of |image: 2000 |image: T34 |keys: |key file: |rotation: from |T33 )/
