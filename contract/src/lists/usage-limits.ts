/** Of what uses a record so many of each kind are named, the others counted. */
export const maxNamed = 10
