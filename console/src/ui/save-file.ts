/** Saves bytes to a file, as a link to them would. */
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has begun by then, or would with the same address not begin at all.
  setTimeout(() => URL.revokeObjectURL(url))
}
