// Cases that take long: they derive keys from passwords again and again, or handle documents of the greatest size.

/** Whether a case is left out in the workers of a browser whose page runs it. */
export const isLong = (name) => /^(?:twins: |text: none of |text: limits |keys: |key file: |T33 )/.test(name)
