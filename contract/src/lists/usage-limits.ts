/** Maximum number of users of a record that are listed by name, per kind. The others are only counted. */
export const maxNamed = 10
