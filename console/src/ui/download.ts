/** Saves a text to a file. */
export const downloadText = (name: string, text: string, type: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun by then, or would with the same address not begin at all.
  setTimeout(() => URL.revokeObjectURL(url))
}
