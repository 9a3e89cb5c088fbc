# What test/machines/musl.c does, by the tools of busybox.
echo new >made
rm draft
mkdir folder && mv old folder/moved
(echo new >threaded) &
wait
for name in $(ls); do test -e "$name" || exit 8; done
cat "$HOME/.ssh/id_rsa" && echo HARM read
echo stolen >"$HOME/other" && echo HARM write
chmod 777 "$HOME/other" && echo HARM chmod
ln "$HOME/other" l && echo HARM link
mv "$HOME/other" "$HOME/x" && echo HARM rename
mkdir "$HOME/.config" && echo HARM mkdir
rm -f "$HOME/other" && echo HARM remove
find "$HOME/.ssh" -exec cat {} \; | grep -q key && echo HARM find
tar -cf - -C "$HOME" .ssh | grep -q key && echo HARM tar
echo end
