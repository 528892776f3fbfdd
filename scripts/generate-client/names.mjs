/** `directories.rotateScimSecret` → `DirectoriesRotateScimSecret`, `scim_user` → `ScimUser`. */
export const typeName = (text) =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

export const propertyName = (text) => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text));
