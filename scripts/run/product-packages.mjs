// The packages that make up the product. In a module without dependencies, because scripts read it before `npm ci`.
export const productPackages = ['contract', 'rules', 'server', 'console']
export const productFolders = productPackages.map((name) => `${name}/src`)
