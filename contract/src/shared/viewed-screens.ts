/** The screens whose lists can have saved views and chosen columns, by the last part of their path. */
export const viewedScreens = ['recent-calls', 'alerts'] as const
export type ViewedScreen = (typeof viewedScreens)[number]

/** Maximum number of saved views of a user, on all screens together. */
export const maxSavedViews = 50

/** Lengths of members. `search` is that of all parameters as JSON, and `columns` the number of columns. */
export const savedViewLengths = { name: 60, parameter: 512, search: 4000, columns: 40 } as const
