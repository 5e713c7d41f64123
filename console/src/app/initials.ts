/** Returns one or two letters that stand for a name where there is no room for it: "HV" for "Harbour Voice". */
export const initials = (name: string): string => {
  const [first = '', second = ''] = name.split(/[\s._-]+/)
  return (second === '' ? first.slice(0, 2) : first.charAt(0) + second.charAt(0)).toUpperCase()
}
